export const ROOT: string
export const NODE: string
export function say(line: string): void
export function ensurePackages(): void
export function ensureBrowser(): { path: string; from: string } | { reason: string }
export function childEnv(extra?: Record<string, string>): NodeJS.ProcessEnv
