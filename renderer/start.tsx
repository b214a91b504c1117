// Draws the app into the page.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { applyLook, usePreferences } from './ui/preferences.ts'

export function start(): void {
  applyLook(usePreferences.getState(), document.documentElement)
  const root = document.getElementById('root')
  if (!root) throw new Error('The page has no #root to draw into')
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
