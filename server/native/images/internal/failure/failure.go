// Package failure names the ways in which an image cannot be had, unpacked or made: one code and one sentence each.
package failure

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Code is the kind of the failure; the service branches on it.
type Code string

const (
	// Internal is everything that has no own code.
	Internal Code = "internal"
	// Usage is a command line that cannot be understood.
	Usage Code = "usage"
	// ReferenceInvalid is a name that no image can have.
	ReferenceInvalid Code = "reference_invalid"
	// ImageNotFound means that neither the registry nor the cache has the image.
	ImageNotFound Code = "image_not_found"
	// PlatformMissing means that the image exists, but for other platforms.
	PlatformMissing Code = "platform_missing"
	// RegistryUnauthorized means that the registry wants credentials, or other ones.
	RegistryUnauthorized Code = "registry_unauthorized"
	// RegistryUnreachable means that there is no connection to the registry.
	RegistryUnreachable Code = "registry_unreachable"
	// RegistryFailed is an error response of the registry that is its own fault, or asks to retry later.
	RegistryFailed Code = "registry_failed"
	// CertificateNotTrusted means that the registry's certificate is of no known authority, or of another host.
	CertificateNotTrusted Code = "certificate_not_trusted"
	// CredentialsFailed means that Docker's configuration or a credential helper could not be used.
	CredentialsFailed Code = "credentials_failed"
	// LayerDamaged is content that has another digest than in its image.
	LayerDamaged Code = "layer_damaged"
	// LayerRefused is a layer with an entry that no honest layer has, such as a path out of the image.
	LayerRefused Code = "layer_refused"
	// ImageInvalid is a manifest or configuration that cannot be used.
	ImageInvalid Code = "image_invalid"
	// ImageTooLarge is an image beyond one of the limits.
	ImageTooLarge Code = "image_too_large"
	// DiskFull means that there is no room left.
	DiskFull Code = "disk_full"
	// FolderUnusable means that a folder or file cannot be read or written.
	FolderUnusable Code = "folder_unusable"
	// TargetExists means that what was to be made exists already.
	TargetExists Code = "target_exists"
	// TimedOut means that the time limit passed.
	TimedOut Code = "timed_out"
	// Cancelled means that the program was stopped.
	Cancelled Code = "cancelled"
)

// Failure is an error with its case and a sentence for people.
type Failure struct {
	Code     Code
	Sentence string
	Cause    error
}

func (f *Failure) Error() string { return f.Sentence }

func (f *Failure) Unwrap() error { return f.Cause }

// New makes a failure whose sentence is formatted like fmt.Sprintf.
func New(code Code, cause error, format string, args ...any) *Failure {
	return &Failure{Code: code, Sentence: fmt.Sprintf(format, args...), Cause: cause}
}

// Of finds the failure in an error, or makes one of an error of the operating system.
func Of(err error) *Failure {
	var known *Failure
	var path *fs.PathError
	switch {
	case isDiskFull(err):
		return New(DiskFull, err, "There is no room left on the disk.")
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.DeadlineExceeded):
		return New(TimedOut, err, "The time limit passed.")
	case errors.Is(err, context.Canceled):
		return New(Cancelled, err, "Stopped before the end.")
	case errors.As(err, &path):
		return New(FolderUnusable, err, "%s cannot be used: %v.", path.Path, path.Err)
	}
	return New(Internal, err, "Something unforeseen happened: %v.", err)
}

func isDiskFull(err error) bool {
	for _, full := range append([]error{syscall.ENOSPC, syscall.EDQUOT}, ofPlatform...) {
		if errors.Is(err, full) {
			return true
		}
	}
	return false
}
