// Clients fetch the icons that an upstream names: permits web URLs and embedded images only.
import { cleanText } from '../text/clean.ts'
import { isRecord } from './record.ts'

const SAFE = /^(?:https:\/\/|data:image\/)/i

export function safeIcons(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return []
  return value.filter((icon) => isRecord(icon) && typeof icon.src === 'string' && SAFE.test(cleanText(icon.src)))
}
