// Sets up what is missing, then becomes one of the project's TypeScript programs on Node 24.
import path from 'node:path'
import { becomeNode } from './hand-over.mjs'
import { childEnv, ensurePackages, ROOT } from './setup.mjs'

const [program, ...args] = process.argv.slice(2)
ensurePackages()
becomeNode([path.join(ROOT, program), ...args], childEnv())
