package evaluator

import (
	"cmp"
	"errors"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Finding is something wrong in the text of a module. Line and column count from 1, in the file.
type Finding struct {
	Key     string `json:"key"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// findingsIn translates OPA's errors of a module; errors of other modules are left out.
func findingsIn(module Module, err error) []Finding {
	var all ast.Errors
	var single *ast.Error
	if errors.As(err, &single) {
		all = ast.Errors{single}
	} else if !errors.As(err, &all) {
		all = ast.Errors{{Message: err.Error()}}
	}
	var findings []Finding
	for _, one := range all {
		finding := Finding{Key: module.Key, File: module.File, Line: module.Line, Column: 1, Message: one.Message}
		if location := one.Location; location != nil {
			if location.File != "" && location.File != module.Key {
				continue
			}
			finding.Line += max(location.Row, 1) - 1
			finding.Column = max(location.Col, 1)
		}
		findings = append(findings, finding)
	}
	return findings
}

// sorted puts findings in the order of files and lines. What is compiled with several policies is found once.
func sorted(findings []Finding) []Finding {
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Key, b.Key),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(findings)
}
