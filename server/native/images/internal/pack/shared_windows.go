package pack

import "io/fs"

type fileID struct{}

// sharedFile takes every name for a file of its own.
func sharedFile(fs.FileInfo) (fileID, bool) { return fileID{}, false }
