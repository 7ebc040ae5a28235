package blobs

import (
	"bytes"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

// ParseManifest reads the manifest of an image and refuses one that is beyond the limits or makes no sense.
func ParseManifest(raw []byte, l limits.Limits) (*v1.Manifest, error) {
	manifest, err := v1.ParseManifest(bytes.NewReader(raw))
	if err != nil {
		return nil, invalid("its manifest is no JSON of a manifest")
	}
	if manifest.SchemaVersion != 2 {
		return nil, invalid(fmt.Sprintf("its manifest is of version %d, not 2", manifest.SchemaVersion))
	}
	if len(manifest.Layers) > l.Layers {
		return nil, tooLarge("it has %d layers; the limit is %d", len(manifest.Layers), l.Layers)
	}
	var total int64
	for _, part := range append([]v1.Descriptor{manifest.Config}, manifest.Layers...) {
		if part.Digest.Algorithm != "sha256" {
			return nil, invalid(fmt.Sprintf("the digest %q is not of sha256", part.Digest))
		}
		if part.Size < 0 || part.Size > l.DownloadBytes-total {
			return nil, tooLarge("its layers have more than %d bytes to download", l.DownloadBytes)
		}
		total += part.Size
	}
	if manifest.Config.Size > l.ManifestBytes {
		return nil, tooLarge("its configuration has %d bytes; the limit is %d", manifest.Config.Size, l.ManifestBytes)
	}
	return manifest, nil
}

// CheckConfig refuses a configuration that does not describe these layers.
func CheckConfig(config *v1.ConfigFile, manifest *v1.Manifest) error {
	if len(config.RootFS.DiffIDs) == len(manifest.Layers) {
		return nil
	}
	return invalid(fmt.Sprintf("its configuration describes %d layers, its manifest %d", len(config.RootFS.DiffIDs), len(manifest.Layers)))
}

func invalid(reason string) *failure.Failure {
	return failure.New(failure.ImageInvalid, nil, "The image cannot be used: %s.", reason)
}

func tooLarge(format string, args ...any) *failure.Failure {
	return failure.New(failure.ImageTooLarge, nil, "The image is too large: %s.", fmt.Sprintf(format, args...))
}

// ParseConfig reads the configuration of an image.
func ParseConfig(raw []byte) (*v1.ConfigFile, error) {
	config, err := v1.ParseConfigFile(bytes.NewReader(raw))
	if err != nil {
		return nil, invalid("its configuration is no JSON of a configuration")
	}
	return config, nil
}
