// Package limits bounds what an image may cost: images come from strangers.
package limits

import "time"

// Limits are those of one image. The service passes its own (server/src/model/limits/image-limits.ts).
type Limits struct {
	// ManifestBytes is the size of a manifest, of an index and of a configuration.
	ManifestBytes int64
	// Layers is how many layers an image has.
	Layers int
	// DownloadBytes is the size of all layers as they are transferred.
	DownloadBytes int64
	// UnpackedBytes is the size of all layers, unpacked, and of the files that they make.
	UnpackedBytes int64
	// Files is how many entries all layers have.
	Files int
	// NamesBytes is what all names and link targets of an image have together: they are kept in memory.
	NamesBytes int64
}

// Default is what holds when the program is started by hand.
var Default = Limits{
	ManifestBytes: 4 << 20,
	Layers:        256,
	DownloadBytes: 16 << 30,
	UnpackedBytes: 32 << 30,
	Files:         1_000_000,
	NamesBytes:    256 << 20,
}

const (
	// PathBytes is the length of a path in a layer and of the target of a link, as on Linux.
	PathBytes = 4096
	// LinksFollowed is how many symbolic links are followed in one path, as on Linux.
	LinksFollowed = 40
	// ZstdWindowBytes is the memory that a zstd layer may ask for.
	ZstdWindowBytes = 128 << 20
	// ParallelDownloads is how many layers are transferred side by side.
	ParallelDownloads = 3
	// Attempts is how often a download is tried without a byte of progress.
	Attempts = 4
	// FirstPause is the pause before the second attempt; each later one is twice as long.
	FirstPause = 250 * time.Millisecond
	// Idle is how long a connection may be silent.
	Idle = 30 * time.Second
	// PartialAge is how long a download that was cut off is kept.
	PartialAge = 7 * 24 * time.Hour
)
