// Sets up what is missing, then runs one of the project's TypeScript programs on Node 24, passing arguments and signals on.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { childEnv, ensurePackages, NODE, ROOT } from './setup.mjs'

const [program, ...args] = process.argv.slice(2)
ensurePackages()
const child = spawn(NODE, [path.join(ROOT, program), ...args], { env: childEnv(), stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
