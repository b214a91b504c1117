// Preloaded into a program that npm started: the program receives SIGTERM when the shell that npm put before it ends.
import { isMainThread } from 'node:worker_threads'

const parent = Number(process.env.GANTRY_PARENT)
delete process.env.GANTRY_PARENT

if (isMainThread && parent > 0) {
  const watch = setInterval(() => {
    if (process.ppid !== parent) process.kill(process.pid, 'SIGTERM')
  }, 250).unref()
  // A signal to the whole process group ends the shell too: a second signal would cut the stop short.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => {
      clearInterval(watch)
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal)
    })
}
