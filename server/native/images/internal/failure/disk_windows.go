package failure

import "golang.org/x/sys/windows"

var ofPlatform = []error{windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL}
