"""The live app and the pages of the site."""

if __name__ == "app":  # the checkout's root is on sys.path: every class would be there twice
    raise ImportError("Import cutaway.app: app/ is only the folder it lies in.")
