# SPDX-License-Identifier: ISC
# Puts the sample configuration, the file `conf`, in place of the line @OPTIONS@, as scdoc text.
function plain(text) {
  gsub(/[\\*_]/, "\\\\&", text)
  return text
}
function put_options(  line, text, key, value) {
  text = ""
  while ((getline line < conf) > 0) {
    if (line ~ /^\[/) {
      printf "## %s\n\n", plain(line)
      text = ""
    } else if (line == "") {
      text = ""
    } else if (line ~ /^#? ?[a-z_]+ =/ && line !~ /^# /) {
      sub(/^#/, "", line)
      key = line
      sub(/ =.*/, "", key)
      value = line
      sub(/^[a-z_]+ = ?/, "", value)
      printf "*%s* =%s\n%s\n", plain(key), value == "" ? "" : " " plain(value), text
      text = ""
    } else {
      sub(/^# ?/, "", line)
      if (line ~ /^(Why change it:|A change needs|Can change|From [0-9])/)
        sub(/\n$/, ".\n", text) # a sentence has ended
      text = text "\t" (line ~ /^[-\[|#;.]/ ? "\\" : "") plain(line) "\n"
    }
  }
}
/^@OPTIONS@$/ {
  put_options()
  next
}
{ print }
