-- Quarto's Markdown, as far as our reports use it, for plain pandoc: numbered figures, tables, equations and
-- sections with references to them, callouts, visibility by format, alternative texts.
-- Whatever cannot be resolved is written to standard error as `[click-stats] ...`; the caller fails on it.

local html, typst, docx = FORMAT:match('^html') ~= nil, FORMAT == 'typst', FORMAT == 'docx'
local NBSP = '\u{a0}'

local WORDS = {
  en = {fig = 'Figure', tbl = 'Table', sec = 'Section', eq = 'Equation',
        note = 'Note', warning = 'Warning', important = 'Important', tip = 'Tip', caution = 'Caution'},
  ko = {fig = '그림', tbl = '표', sec = '절', eq = '식',
        note = '참고', warning = '경고', important = '중요', tip = '도움말', caution = '주의'},
}
local words = WORDS.en
local number_sections = false

local numbers = {}       -- id -> number as shown
local ids = {}           -- every id of the document
local counts = {fig = 0, tbl = 0, eq = 0}

local function complain(text) io.stderr:write('[click-stats] ' .. text .. '\n') end

local function kind_of(id)
  local kind = (id or ''):match('^(%a+)%-')
  return (kind == 'fig' or kind == 'tbl' or kind == 'eq' or kind == 'sec') and kind or nil
end

local function take_number(id, kind)
  if numbers[id] then complain('duplicate id ' .. id) end
  counts[kind] = counts[kind] + 1
  numbers[id] = tostring(counts[kind])
  return numbers[id]
end

local function text_of(x) return pandoc.utils.stringify(x) end

-- A string in typst's quotes.
local function quoted(text) return '"' .. text:gsub('\\', '\\\\'):gsub('"', '\\"'):gsub('%s+', ' ') .. '"' end

local function raw(text) return pandoc.RawBlock(docx and 'openxml' or FORMAT, text) end

---------------------------------------------------------------------------------------------------------------
-- 1. The language, then what this format does not show

local function read_meta(meta)
  local lang = meta.lang and text_of(meta.lang) or 'en'
  words = WORDS[lang:sub(1, 2)] or WORDS.en
  number_sections = meta['number-sections'] == true
end

local function is_format(name)
  if name == 'pdf' then return typst end
  return FORMAT:match('^' .. name) ~= nil
end

local function visible(div)
  local show, hide = div.classes:includes('content-visible'), div.classes:includes('content-hidden')
  if not (show or hide) then return nil end
  local holds = true
  if div.attributes['when-format'] then holds = is_format(div.attributes['when-format']) end
  if div.attributes['unless-format'] then holds = holds and not is_format(div.attributes['unless-format']) end
  if show == holds then return div.content end
  return {}
end

-- A callout's first heading is its title, not a section: out of the way before sections are counted.
local function callout_title(div)
  local first = div.content[1]
  if not first or first.t ~= 'Header' then return nil end
  for _, class in ipairs(div.classes) do
    if class:match('^callout%-') then
      div.content[1] = pandoc.Div({pandoc.Plain(first.content)}, pandoc.Attr('', {'title-of-callout'}))
      return div
    end
  end
end

local function shown(div) return visible(div) or callout_title(div) end

---------------------------------------------------------------------------------------------------------------
-- 2. Numbers, captions, alternative texts

local function note_id(element)
  if element.identifier ~= '' then ids[element.identifier] = true end
end

local function with_prefix(caption, kind, number)
  -- In a PDF the two spaces share a glyph, and what is read back is whichever came first.
  local prefix = pandoc.Inlines{pandoc.Str(words[kind] .. (typst and ' ' or NBSP) .. number .. ':'), pandoc.Space()}
  local blocks = caption.long
  if #blocks == 0 then blocks = pandoc.Blocks{pandoc.Plain{}} end
  blocks[1].content = prefix .. blocks[1].content
  caption.long = blocks
  return caption
end

local function typst_length(width)
  if not width then return nil end
  local value, unit = width:match('^([%d.]+)%s*(%a*%%?)$')
  if unit == '%' or unit == 'cm' or unit == 'mm' or unit == 'in' or unit == 'pt' then return value .. unit end
  if unit == 'px' or unit == '' then return string.format('%.3fin', tonumber(value) / 96) end
end

local function image(img)
  local alt = img.attributes['fig-alt'] or img.attributes.alt
  img.attributes['fig-alt'], img.attributes.alt = nil, nil
  if not alt then
    complain('no-alt ' .. img.src)
    alt = text_of(img.caption)
  end
  if typst then
    local width = typst_length(img.attributes.width)
    return pandoc.RawInline('typst', '#image(' .. quoted(img.src) .. ', alt: ' .. quoted(alt)
      .. (width and ', width: ' .. width or '') .. ')')
  end
  img.caption = pandoc.Inlines{pandoc.Str(alt)}
  return img
end

local function figure(fig)
  note_id(fig)
  local kind = kind_of(fig.identifier)
  if kind == 'fig' then fig.caption = with_prefix(fig.caption, kind, take_number(fig.identifier, kind)) end
  return fig
end

-- Column widths given as `tbl-colwidths="[30,70]"`.
local function given_widths(tbl)
  local said = tbl.attributes['tbl-colwidths']
  tbl.attributes['tbl-colwidths'] = nil
  if not said then return nil end
  local widths, sum = {}, 0
  for value in said:gmatch('[%d.]+') do
    widths[#widths + 1] = tonumber(value)
    sum = sum + tonumber(value)
  end
  if #widths ~= #tbl.colspecs or sum <= 0 then return nil end
  for i, value in ipairs(widths) do widths[i] = value / math.max(sum, 100) end
  return widths
end

-- Columns a text takes: Hangul and other wide letters two, the rest one.
local function display_width(text)
  local n = 0
  for _, code in utf8.codes(text) do n = n + ((code >= 0x1100 and code < 0x2000) and 2
    or (code >= 0x2e80 and code < 0xfb00) and 2 or 1) end
  return n
end

-- Word can fit columns by itself, other readers of docx cannot: give widths by what the cells hold.
local function fitted_widths(tbl)
  local longest, word = {}, {}
  local function look(rows)
    for _, row in ipairs(rows) do
      for i, cell in ipairs(row.cells) do
        local text = text_of(cell.contents)
        longest[i] = math.max(longest[i] or 0, math.min(display_width(text), 40))
        -- Neither the name of a row nor an interval, which stands to the right, should be broken.
        local whole = i == 1 or tbl.colspecs[i] and tbl.colspecs[i][1] == 'AlignRight'
        for part in text:gmatch(whole and '.+' or '%S+') do
          word[i] = math.max(word[i] or 0, math.min(display_width(part), 24))
        end
      end
    end
  end
  look(tbl.head.rows)
  for _, body in ipairs(tbl.bodies) do look(body.body) end
  local sum, widths = 0, {}
  for i = 1, #tbl.colspecs do
    widths[i] = math.max(word[i] or 0, math.sqrt((longest[i] or 0) * (word[i] or 0)), 3) + 2
    sum = sum + widths[i]
  end
  -- A small table keeps to its own size; about 90 characters fill the page.
  for i, width in ipairs(widths) do widths[i] = width / math.max(sum, 60) end
  return widths
end

local function set_widths(tbl, widths)
  local specs = tbl.colspecs
  for i, spec in ipairs(specs) do specs[i] = {spec[1], widths and widths[i] or nil} end
  tbl.colspecs = specs
end

-- Wide tables in Word are set in a smaller style of the reference document.
local function small_cells(tbl)
  local style = #tbl.colspecs > 9 and 'Table Tiny' or #tbl.colspecs > 6 and 'Table Small' or 'Table Text'
  local function restyle(rows, bold)
    for _, row in ipairs(rows) do
      for _, cell in ipairs(row.cells) do
        local inlines = pandoc.utils.blocks_to_inlines(cell.contents)
        if bold then inlines = pandoc.Inlines{pandoc.Strong(inlines)} end
        cell.contents = pandoc.Blocks{pandoc.Div({pandoc.Para(inlines)}, pandoc.Attr('', {}, {['custom-style'] = style}))}
      end
    end
  end
  local head, bodies = tbl.head, tbl.bodies
  restyle(head.rows, true)
  for _, body in ipairs(bodies) do restyle(body.body, false) end
  tbl.head, tbl.bodies = head, bodies
end

local function numbered_table(tbl)
  note_id(tbl)
  local widths = given_widths(tbl) or (docx and fitted_widths(tbl)) or nil
  set_widths(tbl, widths)
  if docx then small_cells(tbl) end
  if kind_of(tbl.identifier) == 'tbl' then
    tbl.caption = with_prefix(tbl.caption, 'tbl', take_number(tbl.identifier, 'tbl'))
  end
  if html then
    return pandoc.Div({tbl}, pandoc.Attr('', {'table-scroll'}, {{'tabindex', '0'}, {'role', 'region'},
      {'aria-label', text_of(tbl.caption.long)}}))
  end
  return tbl
end

local function typst_math(math, number, id)
  local body = pandoc.write(pandoc.Pandoc{pandoc.Para{math}}, 'typst'):gsub('%s+$', '')
  local alt = 'alt: ' .. quoted(math.text)
  local numbering = number and ', numbering: _ => [(' .. number .. ')]' or ''
  return '#[#set math.equation(' .. alt .. numbering .. ')\n' .. body .. (id and ' #label("' .. id .. '")' or '') .. ']'
end

-- A paragraph `$$ ... $$ {#eq-x}`.
local function equation(para)
  local first = para.content[1]
  if not first or first.t ~= 'Math' or first.mathtype ~= 'DisplayMath' then return nil end
  local rest = text_of({table.unpack(para.content, 2)})
  local id = rest:match('^%s*{#(eq%-[%w%-_]+)}%s*$')
  if not id then return nil end
  local number = take_number(id, 'eq')
  ids[id] = true
  if typst then return pandoc.RawBlock('typst', typst_math(first, number, id)) end
  if docx then
    first.text = first.text .. ' \\qquad (' .. number .. ')'
    return pandoc.Div({pandoc.Para{first}}, pandoc.Attr(id))
  end
  return pandoc.Div({pandoc.Plain{first, pandoc.Span('(' .. number .. ')', pandoc.Attr('', {'equation-number'}))}},
    pandoc.Attr(id, {'equation'}))
end

-- Headings count from the highest level in use, whichever that is; in html the title is the only h1.
local function number_headings(doc)
  local top = 6
  doc:walk{Header = function(h) top = math.min(top, h.level) end}
  local at = {0, 0, 0, 0, 0, 0}
  return doc:walk{Header = function(h)
    h.level = h.level - top + 1
    if not h.classes:includes('unnumbered') then
      at[h.level] = at[h.level] + 1
      for deeper = h.level + 1, 6 do at[deeper] = 0 end
      local number = table.concat({table.unpack(at, 1, h.level)}, '.')
      if number_sections then
        numbers[h.identifier] = number
        if not typst then h.content = pandoc.Inlines{pandoc.Span(number, pandoc.Attr('', {'header-section-number'})),
          pandoc.Space()} .. h.content end
      end
    end
    if typst and not number_sections then h.classes:insert('unnumbered') end
    if html then h.level = math.min(h.level + 1, 6) end
    return h
  end}
end

---------------------------------------------------------------------------------------------------------------
-- 3. References, callouts, page breaks

local function link_to(id, text)
  return pandoc.Link(pandoc.Inlines{pandoc.Str(text)}, '#' .. id)
end

local function references(cite)
  local ours = 0
  for _, one in ipairs(cite.citations) do if kind_of(one.id) then ours = ours + 1 end end
  if ours == 0 then return nil end
  local out = pandoc.Inlines{}
  for i, one in ipairs(cite.citations) do
    if i > 1 then out:extend{pandoc.Str(','), pandoc.Space()} end
    local number, kind = numbers[one.id], kind_of(one.id)
    if #one.prefix > 0 then out:extend(one.prefix); out:insert(pandoc.Str(NBSP)) end
    if not number then
      complain('unresolved @' .. one.id)
      out:insert(pandoc.Strong{pandoc.Str('?' .. one.id)})
    elseif #one.prefix > 0 or one.mode == 'SuppressAuthor' then
      out:insert(link_to(one.id, number))
    else
      out:insert(link_to(one.id, words[kind] .. NBSP .. number))
    end
    out:extend(one.suffix)
  end
  return out
end

local function check_link(link)
  local id = link.target:match('^#(.+)$')
  if id and not ids[id] and not id:match('^ref%-') then
    complain('unresolved #' .. id)
    return link.content
  end
end

local function typst_inline_math(math)
  if math.mathtype == 'InlineMath' or math.mathtype == 'DisplayMath' then
    return pandoc.RawInline('typst', typst_math(math))
  end
end

local function page_break(para)
  if text_of(para):match('^{{<%s*pagebreak%s*>}}$') then
    if typst then return raw('#pagebreak(weak: true)') end
    if docx then return raw('<w:p><w:r><w:br w:type="page"/></w:r></w:p>') end
    return pandoc.Div({}, pandoc.Attr('', {'page-break'}))
  end
end

local function callout(div)
  local kind
  for _, class in ipairs(div.classes) do kind = kind or class:match('^callout%-(%a+)$') end
  if not kind then return nil end
  local title, body = pandoc.Inlines{pandoc.Str(words[kind] or kind)}, div.content
  if div.attributes.title then
    title = pandoc.utils.blocks_to_inlines(pandoc.read(div.attributes.title, 'markdown').blocks)
  elseif body[1] and body[1].t == 'Div' and body[1].classes:includes('title-of-callout') then
    title = body[1].content[1].content
    body:remove(1)
  end
  if typst then
    local out = pandoc.Blocks{raw('#callout("' .. kind .. '", ['), pandoc.Plain(title), raw('])[')}
    out:extend(body)
    out:insert(raw(']'))
    return out
  end
  if docx then
    return {
      pandoc.Div({pandoc.Para(title)}, pandoc.Attr(div.identifier, {}, {['custom-style'] = 'Callout Title'})),
      pandoc.Div(body, pandoc.Attr('', {}, {['custom-style'] = 'Callout'})),
    }
  end
  local out = pandoc.Blocks{pandoc.Div({pandoc.Para(title)}, pandoc.Attr('', {'callout-title'}))}
  out:extend(body)
  return pandoc.Div(out, pandoc.Attr(div.identifier, {'callout', 'callout-' .. kind}, {role = 'note'}))
end

local function how_to_read(div)
  if not div.classes:includes('figure-how') then return nil end
  if typst then
    local out = pandoc.Blocks{raw('#figure-how[')}
    out:extend(div.content)
    out:insert(raw(']'))
    return out
  end
  if docx then div.attributes['custom-style'] = 'Figure How' end
  return div
end

local function block(div) return callout(div) or how_to_read(div) end

-- Few passes: each one walks every cell of every table.
return {
  {Meta = read_meta, Div = shown, Span = visible},
  {Pandoc = number_headings},
  {Image = image, Figure = figure, Table = numbered_table, Para = equation, Header = note_id, Div = note_id, Span = note_id},
  {Cite = references, Link = check_link, Para = page_break, Math = typst and typst_inline_math or nil, Div = block},
}
