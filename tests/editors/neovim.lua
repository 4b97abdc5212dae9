-- Opens a program with the settings of editors/neovim, and writes what they do to results.json.
local results = {}

local function finish()
  local file = io.open("results.json", "w")
  file:write(vim.json.encode(results))
  file:close()
  vim.cmd("qall!")
end

local function run()
  local buffer = vim.api.nvim_get_current_buf()
  results.filetype = vim.bo.filetype
  results.shiftwidth = vim.bo.shiftwidth
  results.commentstring = vim.bo.commentstring
  -- The color of each word, as the syntax file has it.
  vim.cmd("syntax sync fromstart")
  local colors = {}
  for number, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    for column, word in line:gmatch("()([%a_]+)") do
      local id = vim.fn.synID(number, column, 1)
      table.insert(colors, word .. "=" .. vim.fn.synIDattr(id, "name"))
    end
  end
  results.colors = table.concat(colors, " ")
  results.highlighter = vim.treesitter and vim.treesitter.highlighter.active[buffer] ~= nil

  -- The server starts by itself, and says what is wrong.
  local function has_diagnostics() return #vim.diagnostic.get(buffer) > 0 end
  assert(vim.wait(60000, has_diagnostics, 50), "no diagnostics")
  results.diagnostics = vim.diagnostic.get(buffer)[1].message
  vim.api.nvim_buf_set_lines(buffer, 3, 4, false, { "  print(y);" })
  assert(vim.wait(60000, function() return not has_diagnostics() end, 50), "still diagnostics")

  -- Lenses lead to stages.
  local function lens()
    for _, it in ipairs(vim.lsp.codelens.get(buffer)) do
      if it.command and it.command.title == "1 specialization" then
        return it
      end
    end
  end
  assert(vim.wait(60000, function()
    vim.cmd("doautocmd CursorHold")
    return vim.wait(500, function() return lens() ~= nil end, 50)
  end, 50), "no lens")
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local windows = #vim.api.nvim_list_wins()
  local function shown(name)
    assert(vim.wait(60000, function() return #vim.api.nvim_list_wins() > windows end, 50), name)
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
    results[name] = { name = vim.api.nvim_buf_get_name(0), filetype = vim.bo.filetype, text = text }
    vim.cmd("close")
  end
  vim.lsp.codelens.run()
  shown("lens")
  vim.cmd("ToyStage llvm f")
  shown("stage")
  vim.cmd("ToyStage llvm f")
  shown("again")
  vim.cmd("ToyPlan")
  shown("plan")
  results.completion = vim.fn.getcompletion("ToyStage mem", "cmdline")
end

local ok, problem = pcall(run)
if not ok then
  results.problem = tostring(problem)
end
finish()
