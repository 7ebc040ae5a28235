package identity

import (
	"bufio"
	"encoding/json"
	"io"

	"agent-runtime/native/engine/internal/failure"
)

const longestLine = 64 << 10

// Read takes the identity that the first line holds as JSON, and makes one where it is an empty object.
func Read(input io.Reader) (*Identity, error) {
	line, err := bufio.NewReader(io.LimitReader(input, longestLine)).ReadBytes('\n')
	if err != nil {
		return nil, unusable(err)
	}
	var given Identity
	if err := json.Unmarshal(line, &given); err != nil {
		return nil, unusable(err)
	}
	if given == (Identity{}) {
		return New()
	}
	if _, _, err := given.Sides(); err != nil {
		return nil, unusable(err)
	}
	return &given, nil
}

// The line itself is never printed: it may hold most of a key.
func unusable(cause error) error {
	return failure.New(failure.Usage, cause, "The first line of standard input is no identity, which --mutual-tls needs.")
}
