// The entry of the headless gateway. What the build compiled in advance is loaded instead of compiled again.
import module from 'node:module'
import path from 'node:path'
import { growAtOnce } from './young-generation.ts'

growAtOnce()
// In the folder of the program: a user who can write there can change the program as well.
const folder = import.meta.dirname
// Node 20 has no such cache.
if (path.basename(path.dirname(folder)) === 'dist')
  module.enableCompileCache?.({ directory: path.join(folder, 'compiled'), portable: true })
await import('./serve-headless.ts')
