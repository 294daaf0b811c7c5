/** Folders for unfinished files of a build. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Removes a folder when its input ends. A compiler that outlives the build may write there for another moment. */
const guard = 'read -r _; for try in 1 2 3 4 5; do rm -rf -- "$0" && exit; sleep 1; done 2>/dev/null'

/**
 * Makes a folder that does not outlive this process. A signal ends a process that waits for a program before it can
 * remove anything: another process, which the signal does not reach, removes the folder then.
 *
 * @param {string} [parent] folder; for files that are moved later, one on the same file system
 * @returns {{ path: string, remove: () => void }}
 */
export function temporaryFolder(parent = tmpdir()) {
  const path = mkdtempSync(join(parent, 'minnow-build-'))
  const process = spawn('sh', ['-c', guard, path], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  process.unref()
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true })
      process.stdin.destroy()
    }
  }
}
