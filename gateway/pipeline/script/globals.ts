// The names that every script has, and why others that programs use are missing.

const API = ['call', 'tryCall', 'callMany', 'keep', 'ToolError', 'console']
const VALUES = ['undefined', 'NaN', 'Infinity', 'globalThis']
const FUNCTIONS = [
  'parseInt',
  'parseFloat',
  'isNaN',
  'isFinite',
  'encodeURI',
  'encodeURIComponent',
  'decodeURI',
  'decodeURIComponent',
]
const CLASSES = [
  'Object Array String Number Boolean Symbol BigInt Date RegExp Map Set WeakMap WeakSet Promise Proxy',
  'Error TypeError RangeError SyntaxError EvalError ReferenceError URIError AggregateError',
  'ArrayBuffer DataView Int8Array Uint8Array Uint8ClampedArray Int16Array Uint16Array Int32Array Uint32Array',
  'Float32Array Float64Array BigInt64Array BigUint64Array Math JSON Reflect',
].flatMap((names) => names.split(' '))

export const GLOBALS: ReadonlySet<string> = new Set([...API, ...VALUES, ...FUNCTIONS, ...CLASSES])

const because = (names: string, reason: string): [string, string][] =>
  names.split(' ').map((name) => [name, `A script has no "${name}": ${reason}`])

export const MISSING: ReadonlyMap<string, string> = new Map([
  ...because('fetch XMLHttpRequest WebSocket', 'it calls the tools of its list'),
  ...because('require process Buffer module exports', 'it runs in an isolate, without Node'),
  ...because('setTimeout setInterval setImmediate queueMicrotask', 'it waits for its calls only'),
  ...because('eval Function WebAssembly', 'text that was not reviewed does not run'),
  ...because('performance crypto', 'it has the time of its start, from Date'),
  ...because('window document localStorage', 'it runs in the gateway'),
])
