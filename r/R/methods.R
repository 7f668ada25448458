# Made by scripts/generate_r.R
NULL
