#!/usr/bin/env bash
# Link a column of a CSV file against a terminology that is itself a CSV file: build, index, link, look.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat > "$work/concepts.csv" <<'CSV'
id,name,synonyms
LOCAL:1,Myocardial infarction,heart attack|MI
LOCAL:2,Type 2 diabetes mellitus,adult-onset diabetes|T2DM
LOCAL:3,Leukemia,blood cancer
CSV

cat > "$work/patients.csv" <<'CSV'
patient,diagnosis
p1,Heart attacks
p2,type II diabetes mellitus
p3,leukaemia
CSV

linnet terminology build "$work/concepts.csv" -o "$work/local"
linnet index "$work/local"
linnet link "$work/patients.csv" --column diagnosis --id-column patient --terminology "$work/local" -o "$work/linked.csv"
cut -d, -f1,5,7,8 "$work/linked.csv"
