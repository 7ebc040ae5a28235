// Package evaluator compiles policies and evaluates their `data.authz.allow`.
package evaluator

import (
	"context"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
)

const rule = "data.authz.allow"

// Module is one text of Rego, as the host describes it (server/src/policy/rego/port.ts).
type Module struct {
	Key       string   `json:"key"`
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Source    string   `json:"source"`
	Libraries []string `json:"libraries"`
}

// Source is everything that is compiled.
type Source struct {
	Policies  []Module `json:"policies"`
	Libraries []Module `json:"libraries"`
	Checked   []Module `json:"checked"`
}

// Program has its policies ready. It is for one goroutine.
type Program struct {
	source       Source
	modules      map[string]Module
	parsed       map[string]*ast.Module
	prepared     map[string]*rego.PreparedEvalQuery
	capabilities *ast.Capabilities
	reads        map[string]reads
	// Empty: policies see nothing but their input.
	store       storage.Store
	transaction storage.Transaction
}

// New makes a program of which nothing is compiled yet.
func New(source Source) *Program {
	program := &Program{
		source:       source,
		modules:      map[string]Module{},
		parsed:       map[string]*ast.Module{},
		prepared:     map[string]*rego.PreparedEvalQuery{},
		reads:        map[string]reads{},
		capabilities: capabilities(),
		store:        inmem.New(),
	}
	// It is read-only, so one is enough for all evaluations.
	program.transaction = storage.NewTransactionOrDie(context.Background(), program.store)
	for _, part := range [][]Module{source.Policies, source.Libraries, source.Checked} {
		for _, module := range part {
			program.modules[module.Key] = module
		}
	}
	return program
}

// parse reads a module once. Rego v0, unless the text itself has `import rego.v1`.
func (p *Program) parse(key string) (*ast.Module, error) {
	if module, ok := p.parsed[key]; ok {
		return module, nil
	}
	options := ast.ParserOptions{RegoVersion: ast.RegoV0, ProcessAnnotation: true}
	module, err := ast.ParseModuleWithOpts(key, p.modules[key].Source, options)
	if err != nil {
		return nil, err
	}
	if errors := refusedIn(module); len(errors) > 0 {
		return nil, ast.Errors(errors)
	}
	p.parsed[key] = module
	return module, nil
}

// compile puts modules together as `opa eval` does.
func (p *Program) compile(modules map[string]*ast.Module) (*ast.Compiler, error) {
	compiler := ast.NewCompiler().
		SetErrorLimit(0).
		WithCapabilities(p.capabilities).
		WithDefaultRegoVersion(ast.RegoV0).
		WithUseTypeCheckAnnotations(true)
	compiler.Compile(modules)
	if compiler.Failed() {
		return nil, compiler.Errors
	}
	return compiler, nil
}

// policy compiles a policy with its libraries, once.
func (p *Program) policy(key string) (*rego.PreparedEvalQuery, error) {
	if prepared, ok := p.prepared[key]; ok {
		return prepared, nil
	}
	modules := map[string]*ast.Module{}
	for _, name := range append([]string{key}, p.modules[key].Libraries...) {
		module, err := p.parse(name)
		if err != nil {
			return nil, err
		}
		modules[name] = module
	}
	compiler, err := p.compile(modules)
	if err != nil {
		return nil, err
	}
	query := rego.New(rego.Query(rule), rego.Compiler(compiler), rego.Store(p.store))
	prepared, err := query.PrepareForEval(context.Background())
	if err != nil {
		return nil, err
	}
	p.prepared[key] = &prepared
	p.reads[key] = readsOf(compiler)
	return &prepared, nil
}
