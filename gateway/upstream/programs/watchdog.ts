// Ends the programs of this gateway when it dies in any way: a shell whose input ends with the gateway, in a session of its own.
import { type ChildProcess, spawn } from 'node:child_process'

/** In the environment of every program, and of what it starts; the value names the gateway. */
export const MARKER = 'GANTRY_LOCAL_SERVER'

/**
 * Constant: groups come on its input, as "+ 123" and "- 123". At the end of the input each group has a second to end by
 * itself, since its own input ended too, and another after TERM. The last steps end what left its group: all in their cgroup, where there is one, and by the marker.
 */
const PROGRAM = `
trap '' HUP INT QUIT TERM PIPE
groups=' '
while read -r what group; do
  case "$what" in
    +) groups="$groups$group " ;;
    -) rest=' '; for g in $groups; do [ "$g" = "$group" ] || rest="$rest$g "; done; groups=$rest ;;
  esac
done
if [ "$groups" != ' ' ]; then
  sleep 1
  for g in $groups; do kill -s TERM -- "-$g"; done
  sleep 1
  for g in $groups; do kill -s KILL -- "-$g"; done
fi
if [ -n "$2" ] && [ -d "$2" ]; then
  echo 1 > "$2/cgroup.kill"
  for again in 1 2 3; do rmdir "$2"/*/ "$2" && break; sleep 1; done
fi
for again in 1 2; do
  for e in $(grep -l -s -F -e "$1" /proc/[0-9]*/environ); do
    p=\${e#/proc/}
    kill -s KILL "\${p%/environ}"
  done
done
`

export type Watchdog = {
  /** Throws where it cannot run: then no program may. */
  ready(): void
  guard(group: number): void
  release(group: number): void
  close(): void
}

/** `marker`: the beginning of the value of MARKER that all programs of this gateway have; `cgroup` contains theirs. */
export function createWatchdog(marker: string, cgroup = ''): Watchdog {
  let running: ChildProcess | undefined
  const groups = new Set<number>()

  function start(): ChildProcess {
    const child = spawn('/bin/sh', ['-c', PROGRAM, 'gantry-watchdog', `${MARKER}=${marker}`, cgroup], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
      shell: false,
    })
    child.once('error', () => undefined)
    if (child.pid === undefined)
      throw new Error('/bin/sh, which ends local servers when the gateway dies, does not start')
    child.unref()
    child.stdin?.on('error', () => undefined)
    // It has no reason to end before us; one that was killed is replaced.
    child.once('exit', () => {
      if (running === child) running = undefined
      if (groups.size > 0) tell([...groups].map((group) => `+ ${group}\n`).join(''))
    })
    return child
  }

  function tell(text: string): void {
    running ??= start()
    running.stdin?.write(text)
  }

  return {
    ready() {
      running ??= start()
    },
    guard(group) {
      groups.add(group)
      tell(`+ ${group}\n`)
    },
    release(group) {
      if (groups.delete(group)) tell(`- ${group}\n`)
    },
    close() {
      groups.clear()
      running?.stdin?.end()
    },
  }
}
