import { type ReactNode, useContext, useEffect } from 'react';
import {
  UNSAFE_DataRouterContext as DataRouter,
  useLocation,
  useNavigate,
  useNavigation,
} from 'react-router';

/**
 * Opens another page in place of this one, unless a user has already left it. The router knows that at once; what is
 * rendered learns of it later, because pages are rendered as transitions.
 */
export function OpenInstead({ to }: { readonly to: string }): ReactNode {
  const router = useContext(DataRouter)?.router;
  const navigate = useNavigate();
  const { key } = useLocation();
  // A navigation that has failed leaves the user here.
  const { state } = useNavigation();
  useEffect(() => {
    const isHere = router?.state.location.key === key && router.state.navigation.state === 'idle';
    if (isHere) void navigate(to, { replace: true });
  }, [router, navigate, key, state, to]);
  return null;
}
