package evaluator

import (
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// refused are the builtins that reach the network, or show the process or the policies themselves.
var refused = func() map[string]bool {
	names := map[string]bool{"http.send": true, "opa.runtime": true, "net.lookup_ip_addr": true}
	for _, builtin := range ast.Builtins {
		if strings.HasPrefix(builtin.Name, "rego.") {
			names[builtin.Name] = true
		}
	}
	return names
}()

// capabilities are those of this OPA without what is refused. A builtin that the compiler does not know cannot be
// reached in any way, also not as the target or the value of `with`. Nor is a schema fetched.
func capabilities() *ast.Capabilities {
	known := ast.CapabilitiesForThisVersion()
	known.Builtins = slices.DeleteFunc(known.Builtins, func(builtin *ast.Builtin) bool {
		return refused[builtin.Name]
	})
	known.AllowNet = []string{}
	return known
}

// refusedIn finds every mention of what is refused, with its location.
func refusedIn(module *ast.Module) []*ast.Error {
	var errors []*ast.Error
	ast.WalkRefs(module, func(ref ast.Ref) bool {
		if name := ref.String(); refused[name] {
			location := ref[0].Location
			errors = append(errors, ast.NewError(ast.TypeErr, location, "%s is not available to policies", name))
		}
		return false
	})
	return errors
}
