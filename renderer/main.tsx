// The entry of the page. The language comes first: modules of the app make their texts when they are loaded.
import './styles/base.css'
import { loadLanguage } from './language/language.ts'

// An interface in English is better than none.
await loadLanguage().catch(() => undefined)
const { start } = await import('./start.tsx')
start()
