"""The command line `torpor`: one module a family of commands, all of them thin.

Exit codes: 0; 1 a rejection or a finding; 2 usage; 3 servers unreachable. People get tables,
`--json` prints JSON.
"""
