-- Drives every request of `toyc lsp` from Neovim, and writes what came back to results.json.
local results = {}

local function finish()
  local file = io.open("results.json", "w")
  file:write(vim.json.encode(results))
  file:close()
  vim.cmd("qall!")
end

local function run()
  local buffer = vim.api.nvim_get_current_buf()
  local uri = vim.uri_from_bufnr(buffer)
  local client_id = vim.lsp.start_client({
    name = "toyc",
    cmd = { os.getenv("TOYC"), "lsp" },
    root_dir = vim.fn.getcwd(),
  })
  vim.lsp.buf_attach_client(buffer, client_id)
  local client = vim.lsp.get_client_by_id(client_id)
  assert(vim.wait(60000, function() return client.initialized == true end), "not initialized")

  local function request(method, params)
    local answer = client.request_sync(method, params, 60000, buffer)
    assert(answer, method .. ": no answer")
    assert(not answer.err, method .. ": " .. vim.inspect(answer.err))
    return answer.result
  end
  local function at(line, column, more)
    local place = {
      textDocument = { uri = uri },
      position = { line = line, character = column },
    }
    return vim.tbl_extend("force", place, more or {})
  end
  local function text()
    return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n")
  end
  local function whole(more)
    local range = { start = { line = 0, character = 0 }, ["end"] = { line = 99, character = 0 } }
    local params = { textDocument = { uri = uri }, range = range }
    return vim.tbl_extend("force", params, more or {})
  end
  local function apply(edit)
    vim.lsp.util.apply_workspace_edit(edit, client.offset_encoding)
  end

  -- Diagnostics arrive, and what mends them is applied.
  assert(vim.wait(60000, function() return #vim.diagnostic.get(buffer) > 0 end), "no diagnostics")
  results.diagnostics = vim.diagnostic.get(buffer)[1].message
  vim.api.nvim_buf_set_text(buffer, 6, 8, 6, 13, { "siez" })
  assert(vim.wait(60000, function()
    local first = vim.diagnostic.get(buffer)[1]
    return first ~= nil and first.message:find("did you mean `size`") ~= nil
  end), "no suggestion")
  local context = { diagnostics = {} }
  local range = { start = { line = 6, character = 8 }, ["end"] = { line = 6, character = 8 } }
  local actions = request("textDocument/codeAction", whole({ range = range, context = context }))
  apply(actions[1].edit)
  results.fixed = text()

  -- Shapes arrive later.
  assert(vim.wait(60000, function()
    local hints = request("textDocument/inlayHint", whole())
    results.inlayHint = hints
    return #hints > 0
  end, 100), "no hints")
  results.hover = request("textDocument/hover", at(5, 6))
  results.definition = request("textDocument/definition", at(5, 14))
  results.typeDefinition = request("textDocument/typeDefinition", at(5, 18))
  local declaration = { context = { includeDeclaration = true } }
  results.references = request("textDocument/references", at(1, 4, declaration))
  results.documentHighlight = request("textDocument/documentHighlight", at(1, 4))
  results.documentSymbol = request("textDocument/documentSymbol", whole())
  results.workspaceSymbol = request("workspace/symbol", { query = "flip" })
  results.foldingRange = request("textDocument/foldingRange", whole())
  results.semanticTokens = request("textDocument/semanticTokens/full", whole())
  results.semanticTokensRange = request("textDocument/semanticTokens/range", whole())
  results.signatureHelp = request("textDocument/signatureHelp", at(5, 18))
  results.completion = request("textDocument/completion", at(5, 14))
  results.codeLens = request("textDocument/codeLens", whole())
  local command = { command = "toyc.showStage", arguments = { uri, "shapes", "flip" } }
  results.command = request("workspace/executeCommand", command)
  results.prepareRename = request("textDocument/prepareRename", at(1, 5))
  apply(request("textDocument/rename", at(1, 5, { newName = "turn" })))
  results.renamed = text()
  local options = { tabSize = 2, insertSpaces = true }
  local lines = { start = { line = 5, character = 0 }, ["end"] = { line = 6, character = 0 } }
  local range_params = whole({ range = lines, options = options })
  local range_edits = request("textDocument/rangeFormatting", range_params)
  vim.lsp.util.apply_text_edits(range_edits, buffer, client.offset_encoding)
  results.range_formatted = text()
  local edits = request("textDocument/formatting", whole({ options = options }))
  vim.lsp.util.apply_text_edits(edits, buffer, client.offset_encoding)
  results.formatted = text()

  client.stop()
  results.stopped = vim.wait(60000, function() return client.is_stopped() end)
end

local ok, problem = pcall(run)
if not ok then
  results.problem = tostring(problem)
end
finish()
