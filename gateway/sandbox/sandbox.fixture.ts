// Whether this machine has the sandbox of the operating system, for tests of what it does.
import { spawnSync } from 'node:child_process'

const [BWRAP, SOCAT] = ['bwrap', 'socat']
const succeeds = (program: string, ...args: readonly string[]): boolean => spawnSync(program, args).status === 0

/** What it lacks; undefined where the sandbox works. */
export const lack =
  process.platform !== 'linux'
    ? 'only on Linux'
    : !succeeds(BWRAP, '--version')
      ? 'bubblewrap is not installed'
      : !succeeds(SOCAT, '-V')
        ? 'socat is not installed'
        : succeeds(BWRAP, '--unshare-all', '--ro-bind', '/', '/', 'true')
          ? undefined
          : 'user namespaces are forbidden here'
