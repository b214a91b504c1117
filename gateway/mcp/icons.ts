// Icons that an upstream names are fetched by whoever shows them: only those that lead to the web, or carry an image.
import { cleanText } from '../text/clean.ts'
import { isRecord } from './record.ts'

const SAFE = /^(?:https:\/\/|data:image\/)/i

export function safeIcons(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return []
  return value.filter((icon) => isRecord(icon) && typeof icon.src === 'string' && SAFE.test(cleanText(icon.src)))
}
