-- Toy in Neovim: the file type, the language server, its code lenses, and the tree-sitter grammar if it is built.
--
-- Input: `vim.g.toyc`, the compiler (`toyc` if it is not set), and `vim.g.toyc_arguments`, more arguments of `toyc lsp`.
-- Output: a server for each folder with programs, and the commands :ToyStage and :ToyPlan. Works from Neovim 0.7 on;
-- from 0.11 on it is `vim.lsp.config.toyc`, which can be changed as any other.

if vim.g.loaded_toy then
  return
end
vim.g.loaded_toy = true

local is_new = vim.fn.has("nvim-0.11") == 1

local function command()
  local words = { vim.g.toyc or "toyc", "lsp" }
  vim.list_extend(words, vim.g.toyc_arguments or {})
  return words
end

-- File types

if vim.fn.has("nvim-0.8") == 1 then
  vim.filetype.add({ extension = { toy = "toy", mlir = "mlir" } })
else
  vim.cmd([[
    augroup toy_filetype
      autocmd!
      autocmd BufRead,BufNewFile *.toy setfiletype toy
      autocmd BufRead,BufNewFile *.mlir setfiletype mlir
    augroup end
  ]])
end

-- What the server's commands return is shown beside the program.

local languages = {
  ["toy-source"] = "toy",
  tokens = "",
  ast = "",
  ["memory-plan"] = "",
  llvm = "llvm",
  asm = "asm",
}

local function show(title, language, text)
  local buffer = vim.fn.bufnr("^" .. vim.fn.escape(title, "\\*?[]{}^$.,") .. "$")
  if buffer == -1 then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buffer, title)
  end
  vim.api.nvim_buf_set_option(buffer, "modifiable", true)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, "\n"))
  vim.api.nvim_buf_set_option(buffer, "modifiable", false)
  local window = vim.fn.bufwinid(buffer)
  if window == -1 then
    vim.cmd("vertical sbuffer " .. buffer)
  else
    vim.api.nvim_set_current_win(window)
  end
  vim.api.nvim_buf_set_option(buffer, "filetype", language)
end

local function clients(buffer)
  if vim.lsp.get_clients then
    return vim.lsp.get_clients({ name = "toyc", bufnr = buffer })
  end
  local all = vim.tbl_values(vim.lsp.buf_get_clients(buffer))
  return vim.tbl_filter(function(client) return client.name == "toyc" end, all)
end

-- Asks the server, and shows its answer: `arguments` starts with the address of the program.
local function ask(name, arguments)
  local buffer = vim.uri_to_bufnr(arguments[1])
  local client = clients(buffer)[1]
  if not client then
    vim.notify("toyc does not serve this buffer", vim.log.levels.ERROR)
    return
  end
  local function answered(error, text)
    if error then
      vim.notify(error.message or tostring(error), vim.log.levels.ERROR)
    elseif type(text) == "string" then
      local stage = name == "toyc.showStage" and arguments[2] or "memory-plan"
      local of = type(arguments[3]) == "string" and (" of " .. arguments[3]) or ""
      local file = vim.fn.fnamemodify(vim.uri_to_fname(arguments[1]), ":t")
      show("toyc://" .. file .. " " .. stage .. of, languages[stage] or "mlir", text)
    end
  end
  local params = { command = name, arguments = arguments }
  if is_new then
    client:request("workspace/executeCommand", params, answered, buffer)
  else
    client.request("workspace/executeCommand", params, answered, buffer)
  end
end

for _, name in ipairs({ "toyc.showStage", "toyc.showPlan" }) do
  vim.lsp.commands[name] = function(found) ask(name, found.arguments) end
end

-- :ToyStage STAGE [FUNCTION]
local stages = {
  "tokens", "ast", "toy-source", "toy", "shapes", "linalg", "memref", "merged", "memory-plan",
  "dealloc", "loops", "mlir-llvm", "llvm", "asm",
}
vim.api.nvim_create_user_command("ToyStage", function(call)
  local arguments = { vim.uri_from_bufnr(0), call.fargs[1], call.fargs[2] or vim.NIL }
  ask("toyc.showStage", arguments)
end, {
  nargs = "+",
  complete = function(start)
    return vim.tbl_filter(function(stage) return vim.startswith(stage, start) end, stages)
  end,
})
vim.api.nvim_create_user_command("ToyPlan", function()
  ask("toyc.showPlan", { vim.uri_from_bufnr(0) })
end, {})

-- The server

local group = vim.api.nvim_create_augroup("toy", {})

if is_new then
  vim.lsp.config("toyc", {
    cmd = command(),
    filetypes = { "toy" },
    root_markers = { ".git" },
  })
  vim.lsp.enable("toyc")
else
  -- One server for each folder that has a `.git`, or else for that of the file.
  local servers = {}
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = "toy",
    callback = function(event)
      local name = vim.api.nvim_buf_get_name(event.buf)
      local folder = vim.fn.fnamemodify(name, ":p:h")
      local git = vim.fn.finddir(".git", folder .. ";")
      local root = git ~= "" and vim.fn.fnamemodify(git, ":p:h:h") or folder
      local server = servers[root]
      if not server or not vim.lsp.get_client_by_id(server) then
        server = vim.lsp.start_client({ name = "toyc", cmd = command(), root_dir = root })
        servers[root] = server
      end
      if server then
        vim.lsp.buf_attach_client(event.buf, server)
      end
    end,
  })
end

-- What Neovim does not do by itself: lenses, and hints where it has them.
vim.api.nvim_create_autocmd("FileType", {
  group = group,
  pattern = "toy",
  callback = function(event)
    vim.api.nvim_create_autocmd({ "BufEnter", "CursorHold", "InsertLeave" }, {
      group = group,
      buffer = event.buf,
      callback = function()
        if #clients(event.buf) > 0 then
          vim.lsp.codelens.refresh(vim.fn.has("nvim-0.10") == 1 and { bufnr = event.buf } or nil)
        end
      end,
    })
  end,
})
if vim.lsp.inlay_hint then
  vim.api.nvim_create_autocmd("LspAttach", {
    group = group,
    callback = function(event)
      local client = vim.lsp.get_client_by_id(event.data.client_id)
      if client and client.name == "toyc" then
        vim.lsp.inlay_hint.enable(true, { bufnr = event.buf })
      end
    end,
  })
end

-- Colors by tree-sitter, if `parser/toy.so` is in the runtime path; those of syntax/toy.vim otherwise.
if is_new then
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = "toy",
    callback = function(event) pcall(vim.treesitter.start, event.buf, "toy") end,
  })
end
