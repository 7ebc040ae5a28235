package evaluator

import "github.com/open-policy-agent/opa/v1/ast"

// Check compiles everything and returns all that is wrong.
func (p *Program) Check() []Finding {
	var findings []Finding
	for key, module := range p.modules {
		if _, err := p.parse(key); err != nil {
			findings = append(findings, findingsIn(module, err)...)
		}
	}
	used := map[string]bool{}
	for _, policy := range p.source.Policies {
		names := append([]string{policy.Key}, policy.Libraries...)
		for _, name := range policy.Libraries {
			used[name] = true
		}
		if !p.areParsed(names) {
			continue
		}
		if _, err := p.policy(policy.Key); err != nil {
			for _, name := range names {
				findings = append(findings, findingsIn(p.modules[name], err)...)
			}
		}
	}
	for _, module := range p.source.Libraries {
		if !used[module.Key] {
			findings = append(findings, p.checkAlone(module)...)
		}
	}
	for _, module := range p.source.Checked {
		findings = append(findings, p.checkAlone(module)...)
	}
	return sorted(findings)
}

func (p *Program) areParsed(names []string) bool {
	for _, name := range names {
		if p.parsed[name] == nil {
			return false
		}
	}
	return true
}

// checkAlone compiles what no policy uses, beside all libraries that it may refer to: each package once, since
// libraries that are not used together may have the same. Only what is wrong in the module itself counts.
func (p *Program) checkAlone(module Module) []Finding {
	parsed := p.parsed[module.Key]
	if parsed == nil {
		return nil
	}
	modules := map[string]*ast.Module{module.Key: parsed}
	packages := map[string]bool{parsed.Package.Path.String(): true}
	for _, library := range p.source.Libraries {
		other := p.parsed[library.Key]
		if other == nil || packages[other.Package.Path.String()] {
			continue
		}
		packages[other.Package.Path.String()] = true
		modules[library.Key] = other
	}
	if _, err := p.compile(modules); err != nil {
		return findingsIn(module, err)
	}
	return nil
}
