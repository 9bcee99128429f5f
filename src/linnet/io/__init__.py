"""Files and what they hold: read in place, packed or not, written whole or not at all; the formats under all formats.

files, folders, filenames, file_stamps   text files and the standard streams; what is below a folder; names; whether a file changed
archive, compression                     zip archives and compressed streams, unpacked while they are read
control_characters                       what makes a text look binary
drafts, artifact                         files and directories that appear whole, with a manifest
workbook, xml, toml                      Excel, XML, TOML
settings_files                           TOML into dataclasses
json, json_integers                      JSON from outside
"""
