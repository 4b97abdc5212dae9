;;; toy-mode.el --- Toy, the tensor language of the MLIR tutorial  -*- lexical-binding: t; -*-

;; Version: 0.2.0
;; Package-Requires: ((emacs "26.1"))
;; Keywords: languages
;; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

;;; Commentary:

;; A major mode for Toy: colors, indentation, a list of definitions, and the language server of
;; the compiler through Eglot (a part of Emacs from 29 on).
;;
;;     (add-to-list 'load-path "/path/to/repository/editors/emacs")
;;     (require 'toy-mode)
;;     (add-hook 'toy-mode-hook #'eglot-ensure)
;;
;; `toy-show-stage' and `toy-show-plan' show what the compiler makes of the program.

;;; Code:

(defgroup toy nil
  "The language Toy."
  :group 'languages
  :prefix "toy-")

(defcustom toy-toyc "toyc"
  "The compiler: a name that is looked up in PATH, or a path."
  :type 'string)

(defcustom toy-toyc-arguments nil
  "More arguments of `toyc lsp'."
  :type '(repeat string))

(defcustom toy-indent-offset 2
  "Blanks for each level of brackets."
  :type 'integer
  :safe #'integerp)

;;;; Colors

(defconst toy-keywords
  '("def" "return" "struct" "var" "if" "else" "while" "for" "in" "break" "continue")
  "The words that are never names.")

(defconst toy-builtins
  '("print" "transpose" "exp" "log" "sqrt" "sin" "cos" "tanh" "abs" "floor" "round" "f32" "f64"
    "trunc" "sign" "pow" "sum" "max" "min" "mean" "prod" "any" "all" "argmax" "argmin" "cumsum"
    "sort" "where" "grad" "value_and_grad" "stop" "range" "shape" "reshape" "zeros" "ones" "eye" "linspace" "concat")
  "The functions of the language.")

(defconst toy-font-lock-keywords
  `((,(regexp-opt toy-keywords 'symbols) . font-lock-keyword-face)
    ("\\_<for[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-variable-name-face)
    ("\\_<def[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-function-name-face)
    ("\\_<struct[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-type-face)
    ("\\_<var[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-variable-name-face)
    ("\\_<\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)[ \t]*=[^=]"
     (1 font-lock-type-face) (2 font-lock-variable-name-face))
    (,(concat (regexp-opt toy-builtins 'symbols) "[ \t]*(") 1 font-lock-builtin-face)
    ("\\_<\\(?:[0-9]+\\(?:\\.[0-9]*\\)?\\|\\.[0-9]+\\)\\(?:[eE][+-]?[0-9]+\\)?\\_>"
     . font-lock-constant-face))
  "The colors of Toy.")

(defvar toy-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (dolist (operator '(?+ ?- ?* ?/ ?% ?@ ?< ?> ?= ?! ?& ?|))
      (modify-syntax-entry operator "." table))
    table)
  "Comments, strings and operators of Toy.")

;;;; Indentation

(defun toy--indentation ()
  "The column at which the line starts, or nil inside a string."
  (save-excursion
    (back-to-indentation)
    (let* ((state (syntax-ppss))
           (open (nth 1 state))
           (closes (looking-at-p "[]})]")))
      (cond
       ((nth 3 state) nil)
       ((null open) 0)
       ;; Rows of a literal, and arguments, are below the first one.
       ((save-excursion
          (goto-char open)
          (and (not closes)
               (memq (char-after) '(?\[ ?\())
               (progn (forward-char)
                      (skip-chars-forward " \t")
                      (not (looking-at-p "[#\n]")))
               (current-column))))
       (t
        (goto-char open)
        (back-to-indentation)
        (+ (current-column) (if closes 0 toy-indent-offset)))))))

(defun toy-indent-line ()
  "Indent the line by the brackets around it."
  (interactive)
  (let ((column (toy--indentation))
        (offset (- (current-column) (current-indentation))))
    (when column
      (indent-line-to column)
      (when (> offset 0)
        (forward-char offset)))))

;;;; The mode

;;;###autoload
(define-derived-mode toy-mode prog-mode "Toy"
  "A major mode for Toy, the tensor language of the MLIR tutorial."
  (setq-local font-lock-defaults '(toy-font-lock-keywords))
  (setq-local comment-start "# ")
  (setq-local comment-end "")
  (setq-local comment-start-skip "#+[ \t]*")
  (setq-local indent-line-function #'toy-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local electric-indent-chars (append "{}[]()" electric-indent-chars))
  (setq-local imenu-generic-expression
              '(("Functions" "^[ \t]*def[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1)
                ("Structs" "^[ \t]*struct[ \t]+\\([A-Za-z_][A-Za-z0-9_]*\\)" 1)))
  (setq-local beginning-of-defun-function #'toy--beginning-of-defun))

(defun toy--beginning-of-defun (&optional count)
  "Move to the start of a definition, COUNT times."
  (re-search-backward "^[ \t]*\\(?:def\\|struct\\)\\_>" nil 'move (or count 1)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.toy\\'" . toy-mode))

;;;; The language server

(defvar eglot-server-programs)
(declare-function eglot-current-server "ext:eglot" ())
(declare-function eglot-path-to-uri "ext:eglot" (path &rest arguments))
(declare-function eglot--path-to-uri "ext:eglot" (path))
(declare-function jsonrpc-request "ext:jsonrpc" (connection method params &rest arguments))

(defun toy--server (&rest _)
  "The command line of the language server."
  `(,toy-toyc "lsp" ,@toy-toyc-arguments))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(toy-mode . toy--server)))

(defconst toy-stages
  '("tokens" "ast" "toy-source" "toy" "shapes" "linalg" "memref" "merged" "memory-plan" "dealloc"
    "loops" "mlir-llvm" "llvm" "asm")
  "The stages of the compiler that can be shown.")

(defun toy--show (title command &rest arguments)
  "Show, as TITLE, what the server answers to COMMAND with ARGUMENTS."
  (let ((server (and (fboundp 'eglot-current-server) (eglot-current-server))))
    (unless server
      (user-error "No language server here: M-x eglot"))
    (let* ((uri (if (fboundp 'eglot-path-to-uri)
                    (eglot-path-to-uri buffer-file-name)
                  (eglot--path-to-uri buffer-file-name)))
           (text (jsonrpc-request server :workspace/executeCommand
                                  (list :command command
                                        :arguments (vconcat (list uri) arguments))
                                  ;; After what was typed last has been sent.
                                  :deferred :workspace/executeCommand
                                  :timeout 60)))
      (with-current-buffer (get-buffer-create (format "*toyc: %s*" title))
        (let ((inhibit-read-only t))
          (erase-buffer)
          (insert text)
          (goto-char (point-min)))
        (when (and (fboundp 'mlir-mode) (string-match-p "module\\|func\\." text))
          (mlir-mode))
        (setq buffer-read-only t)
        (display-buffer (current-buffer))))))

(defun toy-show-stage (stage)
  "Show the program at the STAGE of the compiler."
  (interactive (list (completing-read "Stage: " toy-stages nil t)))
  (toy--show (format "%s, %s" (buffer-name) stage) "toyc.showStage" stage))

(defun toy-show-plan ()
  "Show the plan of the program's memory."
  (interactive)
  (toy--show (format "%s, memory-plan" (buffer-name)) "toyc.showPlan"))

(provide 'toy-mode)
;;; toy-mode.el ends here
