package pack

import "io/fs"

type fileID struct{}

// sharedFile takes every name for a separate file.
func sharedFile(fs.FileInfo) (fileID, bool) { return fileID{}, false }
