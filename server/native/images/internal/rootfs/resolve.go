// Package rootfs makes a root tree of the layers of an image. Layers are untrusted: no path of theirs is followed
// out of the folder, and what only a kernel should give out (devices, setuid) is omitted.
package rootfs

import (
	"os"
	"path"
	"strings"

	"agent-runtime/native/images/internal/failure"
	"agent-runtime/native/images/internal/limits"
)

// cleanName reads the name of an entry as one below the root: a leading slash means the root of the image.
func cleanName(name string) (string, error) {
	if len(name) > limits.PathBytes {
		return "", refused("%.80q… is a path of %d bytes", name, len(name))
	}
	if strings.ContainsRune(name, 0) {
		return "", refused("%q has a zero byte", name)
	}
	for _, part := range strings.Split(name, "/") {
		if part == ".." {
			return "", refused("%q leads out of the image", name)
		}
	}
	return strings.TrimPrefix(path.Clean("/"+name), "/"), nil
}

// resolve finds where a path is when its folders may be symbolic links, as a process sees it whose root is the tree:
// an absolute link starts at the root, and no link leads above it. The last part is not followed.
func (t *tree) resolve(name string) (string, error) {
	folder, last := path.Split(name)
	if known, isKnown := t.resolved[folder]; isKnown {
		return path.Join(known, last), nil
	}
	at, err := t.follow(name)
	if err != nil {
		return "", err
	}
	t.resolved[folder] = parent(at)
	return at, nil
}

func (t *tree) follow(name string) (string, error) {
	rest := strings.Split(name, "/")
	at := ""
	for links := 0; len(rest) > 1; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			at = parent(at)
			continue
		}
		next := path.Join(at, part)
		info, err := t.root.Lstat(next)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			// What is missing is made later; the rest of the path is below it.
			at = next
			continue
		}
		if links++; links > limits.LinksFollowed {
			return "", refused("%q has more than %d symbolic links", name, limits.LinksFollowed)
		}
		target, err := t.root.Readlink(next)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			at = ""
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return path.Join(at, rest[0]), nil
}

func parent(at string) string {
	above := path.Dir(at)
	if above == "." {
		return ""
	}
	return above
}

func refused(format string, args ...any) *failure.Failure {
	return failure.New(failure.LayerRefused, nil, "The image is refused: "+format+".", args...)
}
