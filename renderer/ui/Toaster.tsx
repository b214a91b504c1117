// Toasts.
import { Toaster as Sonner } from 'sonner'

export function Toaster({ theme }: { readonly theme: 'light' | 'dark' | 'system' }) {
  return (
    <Sonner
      theme={theme}
      position="bottom-right"
      gap={8}
      offset={16}
      className="font-sans!"
      toastOptions={{
        unstyled: true,
        classNames: {
          toast:
            'float flex w-[22rem] items-start gap-2.5 px-3.5 py-3 text-sm text-ink [&_[data-icon]]:mt-0.5 [&_[data-icon]_svg]:size-4',
          content: 'min-w-0 grow',
          title: 'font-medium',
          description: 'mt-0.5 font-mono text-2xs break-all text-ink-2',
          success: '[&_[data-icon]]:text-ok',
          error: '[&_[data-icon]]:text-bad',
          actionButton: 'shrink-0 rounded px-1.5 py-0.5 text-xs font-semibold text-link hover:bg-hover',
        },
      }}
    />
  )
}
