// Loaded before a gateway: the file `longest-block` in its home holds the most processor time its main thread used between two ticks, in ms.
// Processor time and not wall-clock time, so that other programs on the machine do not count. SIGUSR2 starts again at zero.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  const file = join(process.env.HOME, 'longest-block')
  let longest = 0
  let before = process.threadCpuUsage()
  const tell = () => {
    writeFileSync(`${file}.new`, String(longest))
    renameSync(`${file}.new`, file)
  }
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    const used = (user + system) / 1000
    if (used > longest) {
      longest = used
      tell()
    }
    before = process.threadCpuUsage()
  }, 2).unref()
  process.on('SIGUSR2', () => {
    longest = 0
    before = process.threadCpuUsage()
    tell()
  })
}
