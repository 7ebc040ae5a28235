package tenant

import rego.v1

# The tenant of the principal. A subject of another tenant than its realm's is of none.
own := input.principal.mrealm if {
	regex.match(`^[a-z0-9-]+$`, input.principal.mrealm)
	startswith(input.principal.sub, sprintf("%s/", [input.principal.mrealm]))
}

known if own

# The tenant of what is asked about.
owners := split(input.resource.owner, "/")[0]

same if owners == own

foreign if {
	input.resource.owner
	not same
}
