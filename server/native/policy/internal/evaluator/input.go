package evaluator

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// values are the JSON texts of a batch, each parsed once, however many questions have it.
type values struct {
	texts  []json.RawMessage
	parsed []ast.Value
	// What is at a path of a value, as text.
	parts map[string]string
}

func newValues(texts []json.RawMessage) *values {
	return &values{texts: texts, parsed: make([]ast.Value, len(texts)), parts: map[string]string{}}
}

func (v *values) at(index int) (ast.Value, error) {
	if v.parsed[index] == nil {
		value, err := ast.ValueFromReader(bytes.NewReader(v.texts[index]))
		if err != nil {
			return nil, err
		}
		v.parsed[index] = value
	}
	return v.parsed[index], nil
}

// input is what the policies of one question see: a whole value, or an object of values.
type input struct {
	values  *values
	whole   *int
	members map[string]int
	value   ast.Value
}

func (in *input) parse() error {
	if in.whole != nil {
		value, err := in.values.at(*in.whole)
		in.value = value
		return err
	}
	object := ast.NewObject()
	for name, index := range in.members {
		value, err := in.values.at(index)
		if err != nil {
			return err
		}
		object.Insert(ast.StringTerm(name), ast.NewTerm(value))
	}
	in.value = object
	return nil
}

// fingerprint is the same for two inputs of a batch only if a policy that reads these paths cannot distinguish them.
// Texts are compared, since equal numbers may be written differently.
func (in *input) fingerprint(paths [][]string) string {
	var text strings.Builder
	for _, path := range paths {
		text.WriteString(in.part(path))
		text.WriteByte('\n')
	}
	return text.String()
}

func (in *input) part(path []string) string {
	switch {
	case in.whole != nil:
		return strconv.Itoa(*in.whole)
	case len(path) == 0:
		indexes, _ := json.Marshal(in.members) // sorted by name
		return string(indexes)
	}
	index, isThere := in.members[path[0]]
	if !isThere {
		return "-"
	}
	key := strconv.Itoa(index)
	if len(path) == 1 {
		return key
	}
	quoted, _ := json.Marshal(path[1:])
	key += string(quoted)
	if known, ok := in.values.parts[key]; ok {
		return known
	}
	known := in.values.textAt(index, path[1:])
	in.values.parts[key] = known
	return known
}

// textAt is the text of what is at a path, or `-`. Quoted, so that texts of several paths cannot run into each other.
func (v *values) textAt(index int, path []string) string {
	ref := make(ast.Ref, 0, len(path))
	for _, name := range path {
		ref = append(ref, ast.StringTerm(name))
	}
	found, err := v.parsed[index].Find(ref)
	if err != nil {
		return "-"
	}
	return strconv.Quote(found.String())
}
