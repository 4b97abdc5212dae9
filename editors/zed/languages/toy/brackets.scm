; Pairs of brackets.

("(" @open ")" @close)
("[" @open "]" @close)
("{" @open "}" @close)
(shape "<" @open ">" @close)
(string "\"" @open "\"" @close)
