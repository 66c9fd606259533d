# SPDX-License-Identifier: ISC
# scdoc asks for more paragraphs than there are: around headings, and before an indent ends.
# mandoc's lint minds; here each is where it makes a difference, once.
/^\.P$/ {
  held = 1
  next
}
/^\.RE$/ {
  print
  next
}
{
  if (held && $0 !~ /^\.(SH|SS)/ && last !~ /^\.(SH|SS)/)
    print ".P"
  held = 0
  print
  last = $0
}
