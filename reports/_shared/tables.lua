-- What both engines need in tables: which cells are headings, and anchors that typst can link to.
-- Quarto runs this file after its own filters, which rebuild tables; the built-in engine runs it after filter.lua.

-- A first column set to the left names its row; `row-header="false"` on the table says it does not.
local function names_rows(tbl)
  local said = tbl.attributes['row-header']
  if said then return said ~= 'false' end
  local first = tbl.colspecs[1]
  return #tbl.colspecs > 1 and first ~= nil and first[1] ~= 'AlignRight' and first[1] ~= 'AlignCenter'
end

local function mark_headings(tbl)
  for _, row in ipairs(tbl.head.rows) do
    for _, cell in ipairs(row.cells) do cell.attr.attributes.scope = 'col' end
  end
  local rows_named = names_rows(tbl)
  tbl.attributes['row-header'] = nil
  if rows_named then
    local bodies = tbl.bodies
    for _, body in ipairs(bodies) do
      body.row_head_columns = 1
      for _, row in ipairs(body.body) do
        if row.cells[1] then row.cells[1].attr.attributes.scope = 'row' end
      end
    end
    tbl.bodies = bodies
  end
  return tbl
end

-- pandoc writes a span's id as a label after its text; an empty span leaves typst nothing to label.
local function anchor(span)
  if FORMAT == 'typst' and span.identifier ~= '' then
    local label = pandoc.RawInline('typst', '#metadata(none)#label("' .. span.identifier .. '")')
    span.identifier = ''
    return pandoc.Inlines{label} .. span.content
  end
end

return {{Table = mark_headings, Span = anchor}}
