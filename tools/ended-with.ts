// Programs that a test, a measurement or a tool starts end with it, also where it ends by an error before it could stop them.
import type { ChildProcess } from 'node:child_process'

const living = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

export function endedWithUs<C extends ChildProcess>(child: C): C {
  living.add(child)
  child.once('exit', () => living.delete(child))
  return child
}
