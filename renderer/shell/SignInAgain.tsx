// The sign-in over a page whose session ended: the page and everything typed in it stay below.
import { AlertDialog } from '@base-ui/react/alert-dialog'
import { useRouterState } from '@tanstack/react-router'
import { useRef } from 'react'
import { SignInForm, SingleSignOn } from '../admin/sign-in/SignInPage.tsx'
import { useActor, useSessionEnd } from '../api/session.ts'
import { t } from '../language/language.ts'

export function SignInAgain() {
  const ended = useSessionEnd((session) => session.ended)
  const { name } = useActor()
  const here = useRouterState({ select: (state) => state.location.href })
  const content = useRef<HTMLDivElement>(null)
  return (
    <AlertDialog.Root open={ended}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="veil backdrop-blur-md" />
        <AlertDialog.Popup
          initialFocus={() => content.current?.querySelector<HTMLElement>('input[name=password]') ?? true}
          className="pop float fixed top-[14vh] left-1/2 z-60 w-full max-w-sm -translate-x-1/2 p-5"
        >
          <AlertDialog.Title className="text-lg font-semibold">{t('Your session ended')}</AlertDialog.Title>
          <AlertDialog.Description className="mt-1 mb-4 text-sm text-ink-2">
            {t('Sign in to continue on this page. What you typed is still here.')}
          </AlertDialog.Description>
          <div ref={content}>
            <SignInForm known={name} />
            <SingleSignOn next={here} />
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
