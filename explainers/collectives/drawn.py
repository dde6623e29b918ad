def picture(*a):
    return ""
