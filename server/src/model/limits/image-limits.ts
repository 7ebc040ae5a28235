/** The limits of an image: images are not trusted. The program for images is given these numbers. */
import { constant } from './limit-row.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** A manifest, an index of platforms, a configuration. */
export const IMAGE_MANIFEST_BYTES = 4 * MIB;

/** Layers of one image; Docker makes 127 at most. */
export const IMAGE_LAYERS = 256;

/** All layers of one image, as they are transferred. */
export const IMAGE_DOWNLOAD_BYTES = 16 * GIB;

/** All layers of one image, unpacked. */
export const IMAGE_UNPACKED_BYTES = 32 * GIB;

/** Entries of all layers of one image. */
export const IMAGE_FILES = 1_000_000;

/** One pull, unpacking or packing. */
export const IMAGE_RUN_MS = 30 * 60_000;

/** How long the program may take to clean up after a request to stop. */
export const IMAGE_STOP_MS = 5_000;

/** Files and folders of the agent folder of an image. */
export const IMAGE_AGENT_FILES = 20_000;

/** A file of such a folder whose content the service reads: manifests and files of variables are small. */
export const IMAGE_AGENT_FILE_BYTES = 1024 * 1024;

/** All bytes that the service reads from such a folder. */
export const IMAGE_AGENT_BYTES = 64 * MIB;

/** How long the daemon may take to return such a folder. */
export const IMAGE_AGENT_MS = 5 * 60_000;

const refused = { where: 'program for images', outcome: 'the image is not taken' };

/** The rows of docs/limits.md. */
export const imageLimitRows = {
  imageManifest: constant(IMAGE_MANIFEST_BYTES, {
    what: 'the manifest, the index or the configuration of an image',
    unit: 'bytes',
    ...refused,
  }),
  imageLayers: constant(IMAGE_LAYERS, {
    what: 'layers of an image',
    unit: 'layers',
    ...refused,
  }),
  imageDownload: constant(IMAGE_DOWNLOAD_BYTES, {
    what: 'all layers of an image, as they are transferred',
    unit: 'bytes',
    ...refused,
  }),
  imageUnpacked: constant(IMAGE_UNPACKED_BYTES, {
    what: 'all layers of an image, unpacked; what they hold and what they write are counted apart',
    unit: 'bytes',
    ...refused,
  }),
  imageFiles: constant(IMAGE_FILES, {
    what: 'entries of all layers of an image',
    unit: 'files',
    ...refused,
  }),
  imageAgentFiles: constant(IMAGE_AGENT_FILES, {
    what: 'entries of the agent folder of an image, without packages (`--image`)',
    unit: 'files',
    where: 'service',
    outcome: 'the image is not taken',
  }),
  imageAgentFile: constant(IMAGE_AGENT_FILE_BYTES, {
    what: 'a file of the agent folder of an image that the service reads (`--image`)',
    unit: 'bytes',
    where: 'service',
    outcome: 'agents read it, the service takes it as empty',
  }),
  imageAgentBytes: constant(IMAGE_AGENT_BYTES, {
    what: 'all that the service reads of the agent folder of an image (`--image`)',
    unit: 'bytes',
    where: 'service',
    outcome: 'the image is not taken',
  }),
  imageAgentTime: constant(IMAGE_AGENT_MS, {
    what: 'the time in which the agent folder of an image is read (`--image`)',
    unit: 'ms',
    where: 'service',
    outcome: 'the image is not taken',
  }),
  imageRun: constant(IMAGE_RUN_MS, {
    what: 'one pull, unpacking or packing of an image',
    unit: 'ms',
    where: 'program for images',
    outcome: 'it ends; what was downloaded stays for the next pull',
  }),
  imageStop: constant(IMAGE_STOP_MS, {
    what: 'the time that the program for images has to tidy up when it is asked to stop',
    unit: 'ms',
    where: 'host',
    outcome: 'it is killed; the next unpacking into the same folder tidies up',
  }),
};
