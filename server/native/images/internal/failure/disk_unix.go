//go:build !windows

package failure

var ofPlatform []error
