" Colors of Toy, for Vim and for Neovim without the tree-sitter grammar.
if exists('b:current_syntax')
  finish
endif

syntax case match
syntax iskeyword @,48-57,_

syntax keyword toyDeclaration def struct var
syntax keyword toyReturn return
syntax keyword toyConditional if else
syntax keyword toyRepeat while for in break continue
syntax match toyBuiltin /\<\%(print\|transpose\|exp\|log\|sqrt\|sin\|cos\|tanh\|abs\|floor\|round\|trunc\|sign\|f32\|f64\|pow\|sum\|max\|min\|mean\|prod\|any\|all\|argmax\|argmin\|cumsum\|sort\|where\|grad\|value_and_grad\|stop\|range\|shape\|reshape\|zeros\|ones\|eye\|linspace\|concat\)\ze\s*(/
syntax match toyFunction /\%(\<def\s\+\)\@<=\h\w*/
syntax match toyStruct /\%(\<struct\s\+\)\@<=\h\w*/
syntax match toyNumber /\%(\w\|\.\)\@1<!\%(\d\+\%(\.\.\@!\d*\)\?\|\.\d\+\)\%([eE][+-]\?\d\+\)\?\w\@!/
syntax match toyOperator /&&\|||\|\.\.\|[-+*\/%@<>=!]=\?/
syntax match toyEscape /\\[nt"\\]/ contained
syntax region toyString start=/"/ skip=/\\./ end=/"\|$/ contains=toyEscape oneline
syntax match toyComment /#.*$/ contains=@Spell

highlight default link toyDeclaration Keyword
highlight default link toyReturn Statement
highlight default link toyConditional Conditional
highlight default link toyRepeat Repeat
highlight default link toyBuiltin Special
highlight default link toyFunction Function
highlight default link toyStruct Type
highlight default link toyNumber Number
highlight default link toyOperator Operator
highlight default link toyString String
highlight default link toyEscape SpecialChar
highlight default link toyComment Comment

let b:current_syntax = 'toy'
