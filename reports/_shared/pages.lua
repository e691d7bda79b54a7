-- A div `.landscape` is a turned page in PDF and Word; html shows it as it is.
-- Both engines run this file. Quarto turns pages from version 1.6 on, but in docx only where the div states its
-- size: it runs this before its own filters, which then find nothing left to turn.

local PORTRAIT = '<w:p><w:pPr><w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" '
  .. 'w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:pPr></w:p>'
local LANDSCAPE = '<w:p><w:pPr><w:sectPr><w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/><w:pgMar w:top="1134" '
  .. 'w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:pPr></w:p>'

local function turned(div)
  if not div.classes:includes('landscape') then return nil end
  local format, before, after
  if FORMAT == 'typst' then format, before, after = 'typst', '#page(flipped: true, margin: (x: 1.5cm, y: 1.8cm))[', ']' end
  if FORMAT == 'docx' then format, before, after = 'openxml', PORTRAIT, LANDSCAPE end
  if not before then return nil end
  local out = pandoc.Blocks{pandoc.RawBlock(format, before)}
  out:extend(div.content)
  out:insert(pandoc.RawBlock(format, after))
  return out
end

return {{Div = turned}}
