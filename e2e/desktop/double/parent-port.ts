// Loaded into each utility process of the double: defines process.parentPort, and ends the process with main.
import { EventEmitter } from 'node:events'

type Message = { readonly data: unknown; readonly ports: readonly [] }

class ParentPort extends EventEmitter {
  #queue: Message[] | undefined = []

  /** Messages are queued until the first listener. */
  override on(event: 'message', listener: (message: Message) => void): this {
    super.on(event, listener)
    const queued = this.#queue ?? []
    this.#queue = undefined
    for (const message of queued) this.emit('message', message)
    return this
  }

  receive(data: unknown): void {
    const message: Message = { data, ports: [] }
    if (this.#queue) this.#queue.push(message)
    else this.emit('message', message)
  }

  postMessage(message: unknown): void {
    process.send?.(structuredClone(message), () => undefined)
  }
}

const port = new ParentPort()
Object.defineProperty(process, 'parentPort', { value: port })

process.on('message', (data) => {
  if (typeof data === 'object' && data !== null && 'throwInside' in data)
    setImmediate(() => {
      throw new Error(String(data.throwInside))
    })
  else port.receive(data)
})
// Chromium terminates a child process when its browser process ends.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
