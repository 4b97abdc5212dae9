;;; toy-mode-test.el --- Tests of toy-mode  -*- lexical-binding: t; -*-

;;; Commentary:

;; emacs -Q --batch -L . -l toy-mode-test.el -f ert-run-tests-batch-and-exit

;;; Code:

(require 'ert)
(require 'imenu)
(require 'toy-mode)

(defun toy-test-face (text word &optional at)
  "The face in TEXT of the WORD, of which AT come before it."
  (with-temp-buffer
    (insert text)
    (toy-mode)
    (font-lock-ensure)
    (goto-char (point-min))
    (let ((case-fold-search nil))
      (re-search-forward (concat "\\_<" word "\\_>") nil nil (1+ (or at 0))))
    (get-text-property (match-beginning 0) 'face)))

(ert-deftest toy-test-colors ()
  (let ((text "struct P { var x; }
def f(p) {
  if (p) { return print(1.5); } else { while (x) {} }
  for i in 0..n { P q = {i}; break; }
  var s = \"def\"; # var
}"))
    (pcase-dolist (`(,word ,at ,face)
                   '(("struct" 0 font-lock-keyword-face)
                     ("P" 0 font-lock-type-face)
                     ("var" 0 font-lock-keyword-face)
                     ("f" 0 font-lock-function-name-face)
                     ("if" 0 font-lock-keyword-face)
                     ("return" 0 font-lock-keyword-face)
                     ("print" 0 font-lock-builtin-face)
                     ("1.5" 0 font-lock-constant-face)
                     ("else" 0 font-lock-keyword-face)
                     ("s" 0 font-lock-variable-name-face)
                     ("while" 0 font-lock-keyword-face)
                     ("for" 0 font-lock-keyword-face)
                     ("n" 0 nil)
                     ("i" 0 font-lock-variable-name-face)
                     ("in" 0 font-lock-keyword-face)
                     ("break" 0 font-lock-keyword-face)
                     ("P" 1 font-lock-type-face)
                     ("q" 0 font-lock-variable-name-face)
                     ("def" 1 font-lock-string-face)
                     ("var" 2 font-lock-comment-face)))
      (ert-info ((format "%s, %s" word at))
        (should (eq (toy-test-face text word at) face))))))

(ert-deftest toy-test-indentation ()
  (let ((text "struct P {
  var x;
}

def f(x) {
  if (x) {
    var a = [[1, 2],
             [3, 4]];
    print(
      a
    );
  } else {
    g(a,
      x);
  }
  # a comment
}
"))
    (with-temp-buffer
      (insert (replace-regexp-in-string "^ +" "" text))
      (toy-mode)
      (indent-region (point-min) (point-max))
      (should (equal (buffer-string) text)))))

(ert-deftest toy-test-programs-keep-their-indentation ()
  "Programs that are formatted by the compiler stay as they are."
  (let ((count 0))
    (dolist (file (directory-files (getenv "TOY_PROGRAMS") t "\\.toy\\'"))
      (with-temp-buffer
        (insert-file-contents file)
        (let ((text (buffer-string)))
          (toy-mode)
          ;; Long operations are broken before their operators, which brackets do not tell.
          (unless (string-match-p "^ *[-+*/%@<>=&|]" text)
            (setq count (1+ count))
            (indent-region (point-min) (point-max))
            (ert-info (file) (should (equal (buffer-string) text)))))))
    (should (> count 5))))

(ert-deftest toy-test-definitions ()
  (with-temp-buffer
    (insert "struct P { var x; }\ndef f(x) {\n  g(x);\n}\ndef g(x) {}\n")
    (toy-mode)
    (let ((index (funcall imenu-create-index-function)))
      (should (equal (mapcar #'car (cdr (assoc "Functions" index))) '("f" "g")))
      (should (equal (mapcar #'car (cdr (assoc "Structs" index))) '("P"))))
    (goto-char (point-min))
    (search-forward "g(x)")
    (beginning-of-defun)
    (should (looking-at-p "def f"))))

(ert-deftest toy-test-files ()
  (should (eq (assoc-default "a.toy" auto-mode-alist #'string-match-p) 'toy-mode)))

(provide 'toy-mode-test)
;;; toy-mode-test.el ends here
