// The command reference in Markdown. Regenerate with: node gateway/client/cli/docs.ts
import { writeFileSync } from 'node:fs'
import { reference } from './help.ts'

if (import.meta.main) writeFileSync(new URL('../../../docs/cli.md', import.meta.url), reference())
