import { type StoreForm, storeRoutesUnder } from '../compat/store-routes.ts';
import { protocolRoute } from './protocol-route.ts';

/** The routes of the store. */
export const protocolStore = storeRoutesUnder(protocolRoute);

/** A namespace in a query is a repeated parameter; an item that does not exist is 404. */
export const protocolStoreForm: StoreForm = {
  labelsOf: (given) => given,
  missing: (error) => {
    throw error;
  },
  presentNamespaces: (found) => found,
};
