// What a tool, resource or prompt of the fixture sees of its caller: the same in both eras.
export type Json = Record<string, unknown>

/** An error of the protocol, with the HTTP status the modern era wants for it. */
export class Fault extends Error {
  readonly code: number
  readonly data: Json | undefined
  readonly status: number
  constructor(code: number, message: string, data?: Json, status = 200) {
    super(message)
    this.code = code
    this.data = data
    this.status = status
  }
}

/** The modern era's way to ask: thrown where the answer would be needed. */
export class InputRequired extends Error {
  readonly requests: Json
  readonly state: string | undefined
  constructor(requests: Json, state?: string) {
    super('input required')
    this.requests = requests
    this.state = state
  }
}

export type Context = {
  readonly modern: boolean
  readonly capabilities: Json
  /** What a modern client came back with. */
  readonly inputs: Json
  readonly state: unknown
  readonly progress: (progress: number, total: number) => void
  readonly log: (level: string, data: string) => void
  /** Asks the client in the way of its era. */
  readonly ask: (key: string, method: string, params: Json) => Promise<Json>
  readonly changed: (kind: 'tools' | 'prompts') => void
}

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const recordOf = (value: unknown): Json => (isRecord(value) ? value : {})
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
